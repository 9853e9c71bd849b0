package org.plumbline.app.plumbing;

import org.plumbline.domain.MySql;

/** The domain's SQL text in MySQL's words. */
public final class Text {
    private Text() {}

    public static String of(String sql) {
        return MySql.text(sql);
    }
}
