package org.plumbline.domain;

/** The limits of texts that come from outside: the one place where they are checked. */
public final class Texts {
    /** Of the columns {@code varchar(255)}, which count code points. */
    static final int MAX_CODE_POINTS = 255;

    private Texts() {}

    /** The name, or {@link Refused} when it is missing, blank or too long. */
    public static String requireName(String name) {
        if (name == null || name.isBlank()) {
            throw new Refused(Problem.badRequest("The name must not be blank."));
        }
        requireFitting("name", name);
        return name;
    }

    static void requireFitting(String what, String text) {
        if (text != null && text.codePointCount(0, text.length()) > MAX_CODE_POINTS) {
            throw new Refused(
                    Problem.badRequest("The " + what + " must have at most " + MAX_CODE_POINTS + " characters."));
        }
    }
}
