//! Threads.
use super::Subject;
use crate::draw_list::DrawList;
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    super::shaded::draw(subject, list);
}
