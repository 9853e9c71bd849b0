package org.plumbline.app.plumbing;

import io.helidon.common.media.type.MediaTypes;
import io.helidon.webserver.http.ServerResponse;

/** Answers that are plain text. */
public final class Texts {
    private Texts() {}

    public static void send(ServerResponse response, String text) {
        response.headers().contentType(MediaTypes.TEXT_PLAIN);
        response.send(text);
    }
}
