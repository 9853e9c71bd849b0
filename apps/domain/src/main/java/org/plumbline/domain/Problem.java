package org.plumbline.domain;

/** An error answer, {@code application/problem+json}. */
public record Problem(int status, String title, String detail) {
    public static final String MEDIA_TYPE = "application/problem+json";

    public static Problem badRequest(String detail) {
        return new Problem(400, "Bad Request", detail);
    }

    public static Problem notAnObject() {
        return badRequest("The body must be a JSON object.");
    }

    public static Problem noSuchFruit(String name) {
        return new Problem(404, "Not Found", "No fruit is named " + name + ".");
    }

    public static Problem fruitExists(String name) {
        return new Problem(409, "Conflict", "A fruit named " + name + " exists already.");
    }
}
