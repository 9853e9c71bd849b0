package org.plumbline.app.plumbing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/** JSON, written piece by piece. */
public final class Json {
    private static final int USUAL_CHARS = 4096;

    private final StringBuilder out = new StringBuilder(USUAL_CHARS);

    public Json raw(String json) {
        out.append(json);
        return this;
    }

    public Json number(long number) {
        out.append(number);
        return this;
    }

    /** A string, or null. */
    public Json text(String text) {
        if (text == null) {
            return raw("null");
        }
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
        return this;
    }

    /** An array; the consumer writes one item. */
    public <T> Json list(List<T> items, Consumer<T> write) {
        out.append('[');
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            write.accept(items.get(i));
        }
        out.append(']');
        return this;
    }

    byte[] bytes() {
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }
}
