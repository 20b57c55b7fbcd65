//! What the machine has.

#[cfg(not(target_arch = "wasm32"))]
use std::fs;

/// Bytes that can still be taken without harm: of the 4 GB that a program in a browser can address,
/// less a tenth.
#[cfg(target_arch = "wasm32")]
pub fn free_memory() -> Option<u64> {
    const PAGE: u64 = 65_536;
    let taken = PAGE * core::arch::wasm32::memory_size(0) as u64;
    Some(((1_u64 << 32) - taken) / 10 * 9)
}

/// Bytes that can still be taken without harm: what the machine has free, no more than a limit set
/// for this process or its group, less a tenth. `None` where the system does not tell.
#[cfg(not(target_arch = "wasm32"))]
pub fn free_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| kilobytes(&text, "MemAvailable:"));
    let limits = fs::read_to_string("/proc/self/limits").ok();
    let limit = limits.and_then(|text| address_space(&text));
    let group = group_memory();
    let least = [machine, limit, group].into_iter().flatten().min()?;
    Some(least / 10 * 9)
}

/// A line such as `MemAvailable:   1234 kB`, in bytes.
#[cfg(not(target_arch = "wasm32"))]
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * number)
}

/// The soft limit of `Max address space`, in bytes; `None` if it is unlimited.
#[cfg(not(target_arch = "wasm32"))]
fn address_space(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the group of this process may still take.
#[cfg(not(target_arch = "wasm32"))]
fn group_memory() -> Option<u64> {
    let read = |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let most: u64 = read("memory.max")?.trim().parse().ok()?;
    let taken: u64 = read("memory.current")?.trim().parse().ok()?;
    Some(most.saturating_sub(taken))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:       2000 kB\nMemAvailable:   1500 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(1500 * 1024));
        assert_eq!(kilobytes(text, "MemFree:"), None);
        let limits = "Max file size             unlimited            unlimited            bytes\n\
                      Max address space         8192000              unlimited            bytes\n";
        assert_eq!(address_space(limits), Some(8_192_000));
        let unlimited = "Max address space         unlimited            unlimited            bytes";
        assert_eq!(address_space(unlimited), None);
        if cfg!(target_os = "linux") {
            assert!(free_memory().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
