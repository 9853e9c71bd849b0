package org.plumbline.app.plumbing;

/** The domain's SQL text in PostgreSQL's words, which are its own. */
public final class Text {
    private Text() {}

    public static String of(String sql) {
        return sql;
    }
}
