package org.plumbline.domain;

/** Whole numbers that come from outside: the one place where they are read. */
public final class Numbers {
    private Numbers() {}

    /** A number from 1 to {@code max} out of a query parameter, or {@link Refused} with a 400. */
    public static int require(String what, String text, int max) {
        if (text != null && text.matches("[0-9]{1,9}")) {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= max) {
                return number;
            }
        }
        throw new Refused(Problem.badRequest("The " + what + " must be a whole number from 1 to " + max + "."));
    }

    /** A number from 1 to {@code max} out of a body, or {@link Refused} with a 400. */
    public static void require(String what, Number number, long max) {
        if (number == null || number.longValue() < 1 || number.longValue() > max) {
            throw new Refused(Problem.badRequest("The " + what + " must be a whole number from 1 to " + max + "."));
        }
    }

    /** The id in a path; a text that is none names nothing, so it is {@link Refused} with the 404 given. */
    public static long id(String text, Problem unknown) {
        if (text.matches("[0-9]{1,18}")) {
            return Long.parseLong(text);
        }
        throw new Refused(unknown);
    }

    /** The id in a path where ids are of the type int: a greater number names nothing either. */
    public static int intId(String text, Problem unknown) {
        long number = id(text, unknown);
        if (number > Integer.MAX_VALUE) {
            throw new Refused(unknown);
        }
        return (int) number;
    }
}
