package org.plumbline.app.plumbing;

import java.nio.charset.StandardCharsets;

/** What goes back to the client. */
public record Answer(int status, String mediaType, byte[] body) {

    public static Answer text(String body) {
        return new Answer(200, "text/plain;charset=UTF-8", body.getBytes(StandardCharsets.UTF_8));
    }

    public static Answer json(Json body) {
        return new Answer(200, "application/json", body.bytes());
    }
}
