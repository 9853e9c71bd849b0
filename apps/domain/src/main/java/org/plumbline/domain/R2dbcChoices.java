package org.plumbline.domain;

import java.util.Locale;
import java.util.Map;

/**
 * The choices of study 001 that decide how R2DBC and its pool are used: event loops of our own or the driver's, a warm-up
 * of the pool or none, as many connections at first as at most or half of them, and the API of batches. The profile
 * {@code tuned} is the first of them.
 */
public record R2dbcChoices(boolean ownLoops, boolean warmUp, boolean initialIsMax, Api api, boolean tuned) {

    /** {@code AUTO} is what its users would take: Spring's client under Spring, connections without. */
    public enum Api {
        AUTO,
        CLIENT,
        CONNECTION;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Reads the variables; an {@link IllegalArgumentException} names the one that is wrong. */
    public static R2dbcChoices from(Map<String, String> env) {
        return new R2dbcChoices(
                word(env, "R2DBC_LOOPS", "driver", "own").equals("own"),
                word(env, "POOL_WARM_UP", "on", "off").equals("on"),
                word(env, "POOL_INITIAL", "max", "half").equals("max"),
                Api.valueOf(word(env, "R2DBC_API", "auto", "client", "connection").toUpperCase(Locale.ROOT)),
                word(env, "PROFILE", "parity", "tuned", "defaults").equals("tuned"));
    }

    /** Connections that the pool opens first. */
    public int initial(int max) {
        return initialIsMax ? max : Math.max(1, max / 2);
    }

    /** The environment with these choices among its settings; a {@code starters} pool limits no time of waiting. */
    public Environment in(Environment environment, boolean starters) {
        return environment
                .alsoUnderstood("profile", profile(starters))
                .alsoUnderstood("r2dbc_loops", ownLoops ? "own" : "driver")
                .alsoUnderstood("pool_warm_up", warmUp ? "on" : "off")
                .alsoUnderstood("pool_initial", initialIsMax ? "max" : "half")
                .alsoUnderstood("r2dbc_api", api.word());
    }

    /** What is called tuned without loops of its own, or with a starter's pool, is said as it is. */
    private String profile(boolean starters) {
        if (!tuned) {
            return starters ? "defaults" : "parity";
        }
        return ownLoops && !starters ? "tuned" : "tuned with the loops of the driver or the pool of a starter";
    }

    /** The first of the {@code words} where nothing is said. */
    private static String word(Map<String, String> env, String name, String... words) {
        String given = env.getOrDefault(name, words[0]);
        for (String word : words) {
            if (word.equals(given)) {
                return given;
            }
        }
        throw new IllegalArgumentException(name + " must be one of " + String.join(", ", words) + ", not " + given + ".");
    }
}
