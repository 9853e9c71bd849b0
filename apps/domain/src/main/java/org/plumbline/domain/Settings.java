package org.plumbline.domain;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * What a process understood of its settings; {@code database} is null without one, {@code httpTls} where nothing was said
 * of it. The contract's table has the words.
 */
public record Settings(String httpHost, int httpPort, HttpTls httpTls, Database database) {

    /** Whether HTTP is served over TLS, and with which certificate and key (PEM); both are null where it is not. */
    public record HttpTls(boolean on, Path certificate, Path key) {

        /** As {@code HTTP_TLS} has it. */
        public String word() {
            return on ? "on" : "off";
        }
    }

    /**
     * Which database it is, where it is and how it is spoken to; {@code ca} is null unless {@code tls} is required. Nobody waits
     * longer than {@code timeoutMs} for a connection, be it out of the pool or a new one. Size and time are 0 in the profile
     * {@code defaults}, where both are the framework's own choice.
     *
     * @param warmUp whether all connections are opened before the port is
     * @param pipelining whether a transaction's first statement is sent along with its BEGIN, by clients that can
     */
    public record Database(
            Engine engine,
            String host,
            int port,
            String name,
            String user,
            String password,
            Tls tls,
            Path ca,
            int poolSize,
            int timeoutMs,
            boolean warmUp,
            boolean pipelining) {

        /** As the setting {@code db-timeout} has it. */
        public String timeoutWord() {
            return Integer.toString(timeoutMs);
        }

        /** As the setting {@code pool-warm-up} has it. */
        public String warmUpWord() {
            return warmUp ? "on" : "off";
        }

        /** As the setting {@code pipelining} has it. */
        public String pipeliningWord() {
            return pipelining ? "on" : "off";
        }
    }

    public enum Tls {
        OFF,
        REQUIRE;

        /** As {@code DB_TLS} has it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Reads the variables; an {@link IllegalArgumentException} names the one that is missing or wrong. */
    public static Settings from(Map<String, String> env) {
        return new Settings(
                env.getOrDefault("HTTP_HOST", "127.0.0.1"),
                number("HTTP_PORT", env.getOrDefault("HTTP_PORT", "8080")),
                httpTls(env),
                database(env));
    }

    /** For variants that have no database. */
    public static Settings withoutDatabase(Map<String, String> env) {
        return new Settings(
                env.getOrDefault("HTTP_HOST", "127.0.0.1"),
                number("HTTP_PORT", env.getOrDefault("HTTP_PORT", "8080")),
                httpTls(env),
                null);
    }

    private static HttpTls httpTls(Map<String, String> env) {
        return switch (env.getOrDefault("HTTP_TLS", "")) {
            case "" -> null;
            case "off" -> new HttpTls(false, null, null);
            case "on" ->
                new HttpTls(true, Path.of(required(env, "HTTP_TLS_CERT")), Path.of(required(env, "HTTP_TLS_KEY")));
            default ->
                throw new IllegalArgumentException("HTTP_TLS must be off or on, not " + env.get("HTTP_TLS") + ".");
        };
    }

    private static Database database(Map<String, String> env) {
        Tls tls = tls(env.getOrDefault("DB_TLS", "off"));
        boolean ownPool = "defaults".equals(env.get("PROFILE"));
        return new Database(
                Engine.of(env),
                required(env, "DB_HOST"),
                number("DB_PORT", required(env, "DB_PORT")),
                required(env, "DB_NAME"),
                required(env, "DB_USER"),
                required(env, "DB_PASSWORD"),
                tls,
                tls == Tls.REQUIRE ? Path.of(required(env, "DB_CA")) : null,
                ownPool ? 0 : number("DB_POOL_SIZE", required(env, "DB_POOL_SIZE")),
                ownPool ? 0 : number("DB_TIMEOUT_MS", env.getOrDefault("DB_TIMEOUT_MS", "3000")),
                !"off".equals(env.get("POOL_WARM_UP")),
                "on".equals(env.get("PIPELINING")));
    }

    private static Tls tls(String word) {
        return switch (word) {
            case "off" -> Tls.OFF;
            case "require" -> Tls.REQUIRE;
            default -> throw new IllegalArgumentException("DB_TLS must be off or require, not " + word + ".");
        };
    }

    private static String required(Map<String, String> env, String name) {
        String value = env.get(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(name + " must be set.");
        }
        return value;
    }

    private static int number(String name, String value) {
        if (!value.matches("[0-9]{1,5}") || value.matches("0+")) {
            throw new IllegalArgumentException(name + " must be a positive whole number, not " + value + ".");
        }
        return Integer.parseInt(value);
    }
}
