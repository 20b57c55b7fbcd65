//! Changes of the scene while it runs: of a value, or by an element that is added to a part. The world is
//! built again from the changed text and goes on from the state at hand.

use crate::player::Player;
use pliant_session::{Deed, Event, Failure};

impl Player {
    /// Changes a value of the scene and goes on from the state at hand. Bodies that no longer fit what
    /// they were start anew; their names are returned.
    pub fn change(
        &mut self,
        path: &[usize],
        attribute: &str,
        value: &str,
    ) -> Result<Vec<String>, Failure> {
        self.rewrite(Deed::Change {
            path: path.to_vec(),
            attribute: attribute.to_owned(),
            value: value.to_owned(),
        })
    }

    /// Adds an element, such as a process of a body, and goes on from the state at hand as
    /// [`Player::change`] does.
    pub fn insert(&mut self, path: &[usize], element: &str) -> Result<Vec<String>, Failure> {
        self.rewrite(Deed::Insert {
            path: path.to_vec(),
            element: element.to_owned(),
        })
    }

    /// Goes on with the text of the scene that a deed makes.
    pub(crate) fn rewrite(&mut self, deed: Deed) -> Result<Vec<String>, Failure> {
        let Some(text) = self.live.text_after(&deed)? else {
            return Ok(Vec::new());
        };
        let renewed = self.live.rewrite(&self.source.world, &text)?;
        self.leave_future();
        self.renew(renewed.source);
        self.events.push(Event {
            step: self.source.world.step_count,
            deed,
        });
        Ok(renewed.anew)
    }
}
