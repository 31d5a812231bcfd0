//! Pages as text: everything that players have written is escaped, in one place.

use std::fmt::{self, Display, Write as _};

/// A text in which nothing is markup.
pub(crate) struct Escaped<T>(pub T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.to_string().chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // Control characters other than line ends, and those that turn the direction of writing.
                '\u{0}'..='\u{8}'
                | '\u{b}'..='\u{1f}'
                | '\u{7f}'..='\u{9f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' => {
                    f.write_char('\u{fffd}')?;
                }
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A page that is being written. `text` is escaped, `raw` is ours.
#[derive(Default)]
pub(crate) struct Html(String);

impl Html {
    /// Markup of our own.
    pub fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A text of anyone.
    pub fn text(&mut self, text: impl Display) -> &mut Self {
        // Writing to a string does not fail.
        let _ = write!(self.0, "{}", Escaped(text));
        self
    }

    /// An element with a text.
    pub fn element(&mut self, name: &str, text: impl Display) -> &mut Self {
        self.raw("<").raw(name).raw(">").text(text).raw("</").raw(name).raw(">\n")
    }

    /// A row of a table.
    pub fn row(&mut self, cells: &[&dyn Display]) -> &mut Self {
        self.raw("<tr>");
        for cell in cells {
            self.raw("<td>").text(cell).raw("</td>");
        }
        self.raw("</tr>\n")
    }

    /// The head of a table with these columns.
    pub fn columns(&mut self, names: &[&str]) -> &mut Self {
        self.raw("<table><thead><tr>");
        for name in names {
            self.raw("<th>").text(name).raw("</th>");
        }
        self.raw("</tr></thead><tbody>\n")
    }

    /// The end of a table.
    pub fn end_table(&mut self) -> &mut Self {
        self.raw("</tbody></table>\n")
    }

    /// A part of a page that the script keeps up to date.
    pub fn live(&mut self, id: &str, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.raw("<section data-live id=\"").text(id).raw("\">\n");
        write(self);
        self.raw("</section>\n")
    }

    /// A form with a button.
    pub fn button(&mut self, action: &str, label: &str, hidden: &[(&str, &str)]) -> &mut Self {
        self.raw("<form method=\"post\" enctype=\"multipart/form-data\" class=\"inline\" action=\"").text(action).raw("\">");
        for (name, value) in hidden {
            self.raw("<input type=\"hidden\" name=\"").text(name).raw("\" value=\"").text(value).raw("\">");
        }
        self.raw("<button>").text(label).raw("</button></form>\n")
    }

    /// The whole page around it.
    pub fn page(self, title: &str) -> String {
        let title = Escaped(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <link rel=\"icon\" href=\"/icons/icon.svg\" type=\"image/svg+xml\">\n<link rel=\"stylesheet\" href=\"/arena.css\">\n\
             <script src=\"/arena.js\" defer></script></head>\n<body><main>\n{}</main></body></html>\n",
            self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_players_write_is_no_markup() {
        let mut html = Html::default();
        html.element("p", "<script>alert('x')</script>&\"\u{202e}\u{1b}").button("/a\"b", "<i>", &[("n", "\"><b>")]);
        let page = html.page("<title>");
        for markup in ["<script>alert", "<i>", "\"><b>", "<title><title>", "\u{202e}", "\u{1b}", "a\"b"] {
            assert!(!page.contains(markup), "{markup}: {page}");
        }
        assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"), "{page}");
    }
}
