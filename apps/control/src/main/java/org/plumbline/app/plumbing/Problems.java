package org.plumbline.app.plumbing;

/** Error answers. */
public final class Problems {
    private Problems() {}

    public static Answer badRequest(String detail) {
        return problem(400, "Bad Request", detail);
    }

    public static Answer notFound(String detail) {
        return problem(404, "Not Found", detail);
    }

    public static Answer noPath() {
        return notFound("Nothing is served here.");
    }

    public static Answer tooLarge(int maxBytes) {
        return problem(413, "Content Too Large", "The body must have at most " + maxBytes + " bytes.");
    }

    public static Answer databaseGone() {
        return problem(503, "Service Unavailable", "The database does not answer.");
    }

    /** The log says more. */
    public static Answer fault() {
        return problem(500, "Internal Server Error", "The request could not be served.");
    }

    private static Answer problem(int status, String title, String detail) {
        Json json = new Json();
        json.raw("{\"status\":").number(status);
        json.raw(",\"title\":").text(title);
        json.raw(",\"detail\":").text(detail).raw("}");
        return new Answer(status, "application/problem+json", json.bytes());
    }
}
