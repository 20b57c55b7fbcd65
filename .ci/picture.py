"""Says what a part of a PNG picture shows, so that a test can check it.

    python3 picture.py FILE [LEFT TOP WIDTH HEIGHT]

Prints the mean red, green and blue (0 to 255), and how many different colours there are, each channel in
steps of 16.
"""
import struct
import sys
import zlib


def read(path):
    """Width, height, channels and rows of bytes of a picture with 8 bits per channel."""
    data = open(path, "rb").read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"{path} is no PNG")
    at, packed, header = 8, b"", None
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlace = header
    if depth != 8 or colour not in (2, 6) or interlace:
        sys.exit(f"{path}: only 8 bits per channel, colours, not interlaced")
    channels = 3 if colour == 2 else 4
    return width, height, channels, rows(zlib.decompress(packed), width * channels, channels)


def rows(raw, length, channels):
    """The rows of a picture without their filters."""
    above = bytearray(length)
    for start in range(0, len(raw), length + 1):
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + length])
        for i in range(length):
            left = row[i - channels] if i >= channels else 0
            up, corner = above[i], above[i - channels] if i >= channels else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif kind == 4:
                row[i] = (row[i] + nearest(left, up, corner)) & 255
        above = row
        yield row


def nearest(left, up, corner):
    """What Paeth's filter predicts."""
    guess = left + up - corner
    return min((left, up, corner), key=lambda own: abs(guess - own))


def main():
    width, height, channels, lines = read(sys.argv[1])
    left, top, wide, high = map(int, sys.argv[2:6] or (0, 0, width, height))
    sums, count, colours = [0, 0, 0], 0, set()
    for y, row in enumerate(lines):
        if not top <= y < top + high:
            continue
        for x in range(max(left, 0), min(left + wide, width)):
            pixel = row[x * channels:x * channels + 3]
            sums = [own + value for own, value in zip(sums, pixel)]
            colours.add(tuple(value // 16 for value in pixel))
            count += 1
    if count == 0:
        sys.exit("nothing of the picture is in there")
    print(*(round(own / count) for own in sums), len(colours))


main()
