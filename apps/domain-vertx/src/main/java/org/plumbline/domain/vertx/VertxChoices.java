package org.plumbline.domain.vertx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;

/**
 * What a variant's files say of Vert.x: {@code application.properties}, and for the profile {@code tuned} what
 * {@code application-tuned.properties} says beside it; for {@code defaults} neither is read. What no file says is Vert.x' own
 * choice.
 *
 * @param nativeTransport whether epoll is preferred to Java's own transport
 * @param loopsPerProcessor event loops for each processor; 0 leaves their number to Vert.x
 * @param poolOnAllLoops whether the pool itself gives its connections to all loops in turn
 * @param pipeliningLimit statements under way at once on one connection; 0 leaves their number to Vert.x
 * @param cacheStatements whether prepared statements are kept
 */
public record VertxChoices(
        boolean nativeTransport,
        int loopsPerProcessor,
        boolean poolOnAllLoops,
        int pipeliningLimit,
        boolean cacheStatements) {

    /** Reads the files of a program without a framework; the variable {@code PROFILE} says which. */
    public static VertxChoices from(Map<String, String> env) {
        Properties usual = read("/application.properties", new Properties());
        String profile = env.getOrDefault("PROFILE", "parity");
        Properties files = switch (profile) {
            case "defaults" -> new Properties();
            case "parity" -> usual;
            case "tuned" -> read("/application-tuned.properties", usual);
            default ->
                throw new IllegalArgumentException("PROFILE must be defaults, parity or tuned, not " + profile + ".");
        };
        return of(files::getProperty);
    }

    /** Reads the values by their names, of which some may be null. */
    public static VertxChoices of(UnaryOperator<String> value) {
        return new VertxChoices(
                flag(value, "vertx.prefer-native-transport"),
                number(value, "vertx.event-loops-per-processor"),
                flag(value, "vertx.pool-on-all-event-loops"),
                number(value, "vertx.pipelining-limit"),
                flag(value, "vertx.cache-prepared-statements"));
    }

    private static boolean flag(UnaryOperator<String> value, String name) {
        return "true".equals(value.apply(name));
    }

    private static int number(UnaryOperator<String> value, String name) {
        String text = value.apply(name);
        return text == null ? 0 : Integer.parseInt(text);
    }

    private static Properties read(String file, Properties below) {
        Properties properties = new Properties(below);
        try (InputStream in = VertxChoices.class.getResourceAsStream(file)) {
            properties.load(in);
            return properties;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
