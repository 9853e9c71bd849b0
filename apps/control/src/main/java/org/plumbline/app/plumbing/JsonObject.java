package org.plumbline.app.plumbing;

import java.util.LinkedHashMap;
import java.util.Map;

/** Reads one flat JSON object of strings and nulls, which is all that is ever sent here. */
public final class JsonObject {
    private static final int HEX = 16;

    private final String text;
    private int at;

    private JsonObject(String text) {
        this.text = text;
    }

    /** Keys to values; null when the text is no such object. */
    public static Map<String, String> texts(String text) {
        try {
            return new JsonObject(text).object();
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException notThatShape) {
            return null;
        }
    }

    private Map<String, String> object() {
        Map<String, String> found = new LinkedHashMap<>();
        expect('{');
        if (peek() != '}') {
            do {
                String key = string();
                expect(':');
                found.put(key, value());
            } while (skip(','));
        }
        expect('}');
        if (!text.substring(at).isBlank()) {
            throw new IllegalArgumentException("more than one value");
        }
        return found;
    }

    private String value() {
        if (peek() == 'n' && text.startsWith("null", at)) {
            at += "null".length();
            return null;
        }
        return string();
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            out.append(c == '\\' ? escaped() : c);
        }
        return out.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case '"', '\\', '/' -> c;
            case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), HEX);
            default -> throw new IllegalArgumentException("no escape: " + c);
        };
    }

    private char peek() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private boolean skip(char c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char c) {
        if (!skip(c)) {
            throw new IllegalArgumentException("no " + c + " at " + at);
        }
    }
}
