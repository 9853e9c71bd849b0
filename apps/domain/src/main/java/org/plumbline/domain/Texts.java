package org.plumbline.domain;

/** The limits of texts that come from outside: the one place where they are checked. */
public final class Texts {
    /** Of the columns {@code varchar(255)}, which count code points. */
    public static final int MAX_CODE_POINTS = 255;

    private Texts() {}

    /** The name, or {@link Refused} when it is missing, blank or too long. */
    public static String requireName(String name) {
        return require("name", name, MAX_CODE_POINTS);
    }

    /** The text, or {@link Refused} when it is missing, blank or longer than {@code max} code points. */
    public static String require(String what, String text, int max) {
        if (text == null || text.isBlank()) {
            throw new Refused(Problem.badRequest("The " + what + " must not be blank."));
        }
        requireFitting(what, text, max);
        return text;
    }

    /** {@link Refused} when the text is there and too long for its column. */
    public static void requireFitting(String what, String text) {
        requireFitting(what, text, MAX_CODE_POINTS);
    }

    private static void requireFitting(String what, String text, int max) {
        if (text != null && text.codePointCount(0, text.length()) > max) {
            throw new Refused(Problem.badRequest("The " + what + " must have at most " + max + " characters."));
        }
    }
}
