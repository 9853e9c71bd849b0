package org.plumbline.domain;

import java.util.LinkedHashMap;
import java.util.Map;

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

    /** The body, for variants that need no JSON library for anything else. */
    public String toJson() {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("status", status);
        keys.put("title", title);
        keys.put("detail", detail);
        return JsonText.of(keys);
    }
}
