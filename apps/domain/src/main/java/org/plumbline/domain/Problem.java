package org.plumbline.domain;

import java.util.LinkedHashMap;
import java.util.Map;

/** An error answer, {@code application/problem+json}. */
public record Problem(int status, String title, String detail) {
    public static final String MEDIA_TYPE = "application/problem+json";

    public static Problem badRequest(String detail) {
        return new Problem(400, "Bad Request", detail);
    }

    public static Problem notFound(String detail) {
        return new Problem(404, "Not Found", detail);
    }

    public static Problem conflict(String detail) {
        return new Problem(409, "Conflict", detail);
    }

    public static Problem notAnObject() {
        return badRequest("The body must be a JSON object.");
    }

    public static Problem tooLarge() {
        return new Problem(413, "Content Too Large", "The body must have at most 65536 bytes.");
    }

    /** No connection to the database within the timeout, or none that works. */
    public static Problem databaseGone() {
        return new Problem(503, "Service Unavailable", "The database does not answer.");
    }

    /** One of the six sources of an order did not answer within the timeout, or answered what it must not. */
    public static Problem sourceGone() {
        return new Problem(503, "Service Unavailable", "A source of the order does not answer.");
    }

    public static Problem noSuchFruit(String name) {
        return notFound("No fruit is named " + name + ".");
    }

    public static Problem fruitExists(String name) {
        return conflict("A fruit named " + name + " exists already.");
    }

    public static Problem noSuchZipCode(String zip) {
        return notFound("No zip code is " + zip + ".");
    }

    public static Problem noSuchCompany(String id) {
        return notFound("No company has the id " + id + ".");
    }

    public static Problem noSuchOrder(String id) {
        return notFound("No order has the id " + id + ".");
    }

    public static Problem noSuchItem(String orderId, String itemId) {
        return notFound("Order " + orderId + " has no item " + itemId + ".");
    }

    public static Problem itemExists(long orderId, long itemId) {
        return conflict("Order " + orderId + " has an item " + itemId + " already.");
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
