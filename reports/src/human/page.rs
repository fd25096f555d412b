//! A page of text: the one place where texts for a person are escaped, wrapped and coloured.

use anstyle::{AnsiColor, Style as Ansi};

use super::Style;
use crate::text::{printable, width, wrap};

/// The columns of a field's label, with the space after it.
const LABEL: usize = 10;

/// The narrowest page: below this, wrapping makes nothing better.
const NARROWEST: usize = 40;

/// What a text looks like, where colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// As it is.
    Plain,
    /// A heading.
    Strong,
    /// Less than the text around it.
    Label,
    /// Good news.
    Good,
    /// Something to look at.
    Warn,
    /// Bad news.
    Bad,
}

impl Paint {
    fn ansi(self) -> Ansi {
        let plain = Ansi::new();
        match self {
            Self::Plain => plain,
            Self::Strong => plain.bold(),
            Self::Label => plain.dimmed(),
            Self::Good => plain.bold().fg_color(Some(AnsiColor::Green.into())),
            Self::Warn => plain.bold().fg_color(Some(AnsiColor::Yellow.into())),
            Self::Bad => plain.bold().fg_color(Some(AnsiColor::Red.into())),
        }
    }
}

/// A page under construction.
pub struct Page {
    out: String,
    style: Style,
}

impl Page {
    /// An empty page.
    pub fn new(style: Style) -> Self {
        Self {
            out: String::new(),
            style: Style {
                width: style.width.max(NARROWEST),
                ..style
            },
        }
    }

    /// The text of the page.
    pub fn finish(self) -> String {
        self.out
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// A heading, with an empty line before it where it is not the first on the page.
    pub fn heading(&mut self, paint: Paint, text: &str) {
        if !self.out.is_empty() {
            self.blank();
        }
        self.text(0, paint, text);
    }

    /// A text on one line, however long.
    pub fn line(&mut self, paint: Paint, text: &str) {
        self.paint(paint, &printable(text));
        self.blank();
    }

    /// A text, wrapped.
    pub fn text(&mut self, indent: usize, paint: Paint, text: &str) {
        for line in wrap(&printable(text), self.style.width - indent) {
            self.indent(indent);
            self.paint(paint, &line);
            self.blank();
        }
    }

    /// A label and its text, wrapped beside it; nothing where the text is empty.
    pub fn field(&mut self, indent: usize, label: &str, text: &str) {
        let lines = wrap(&printable(text), self.style.width - indent - LABEL);
        for (n, line) in lines.iter().enumerate() {
            self.label(indent, if n == 0 { label } else { "" });
            self.out.push_str(line);
            self.blank();
        }
    }

    /// A label and a text that is there to be copied: on one line, however long.
    pub fn verbatim(&mut self, indent: usize, label: &str, text: &str) {
        self.label(indent, label);
        self.out.push_str(&printable(text));
        self.blank();
    }

    fn label(&mut self, indent: usize, label: &str) {
        self.indent(indent);
        if !label.is_empty() {
            self.paint(Paint::Label, label);
        }
        self.indent(LABEL.saturating_sub(width(label)).max(1));
    }

    fn indent(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }

    fn paint(&mut self, paint: Paint, text: &str) {
        if self.style.colour && paint != Paint::Plain {
            let ansi = paint.ansi();
            self.out.extend([
                ansi.render().to_string().as_str(),
                text,
                ansi.render_reset().to_string().as_str(),
            ]);
        } else {
            self.out.push_str(text);
        }
    }
}
