package org.plumbline.app.plumbing;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** The part of an address after its question mark; null when there is none. */
public record Query(String raw) {

    /** The value of a parameter; null when it is missing. */
    public String value(String name) {
        if (raw != null) {
            for (String pair : raw.split("&")) {
                if (pair.startsWith(name + "=")) {
                    return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
                }
            }
        }
        return null;
    }
}
