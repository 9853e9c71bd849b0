package org.plumbline.domain;

import java.util.Collection;
import java.util.Map;

/** JSON of maps, collections, strings, numbers, booleans and nulls, without white space. */
final class JsonText {
    private JsonText() {}

    static String of(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map -> {
                char before = '{';
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(before);
                    quote(out, (String) entry.getKey());
                    out.append(':');
                    write(out, entry.getValue());
                    before = ',';
                }
                out.append(map.isEmpty() ? "{}" : "}");
            }
            case Collection<?> items -> {
                char before = '[';
                for (Object item : items) {
                    out.append(before);
                    write(out, item);
                    before = ',';
                }
                out.append(items.isEmpty() ? "[]" : "]");
            }
            case Number number -> out.append(number);
            case Boolean truth -> out.append(truth);
            default -> quote(out, value.toString());
        }
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                default -> {
                    if (c < ' ') {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
