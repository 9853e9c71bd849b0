package org.plumbline.domain.orders;

import java.util.Map;
import org.plumbline.domain.Environment;

/**
 * What study 004 may have done otherwise with Hibernate Reactive: a session for each access to the database, and items that are
 * removed as entities. The contract has one session a request, and a query that deletes.
 */
public record OrderChoices(boolean severalSessions, boolean removesEntities) {

    /** Reads the variables; an {@link IllegalArgumentException} names the one that is wrong. */
    public static OrderChoices from(Map<String, String> env) {
        return new OrderChoices(second(env, "SESSIONS", "one", "several"), second(env, "REMOVE", "query", "entity"));
    }

    /** The environment with these choices among its settings. */
    public Environment in(Environment environment) {
        return environment
                .alsoUnderstood("sessions", severalSessions ? "several" : "one")
                .alsoUnderstood("remove", removesEntities ? "entity" : "query");
    }

    /** Whether the second word is given, and not the first, which nothing means too. */
    private static boolean second(Map<String, String> env, String name, String usual, String other) {
        String given = env.getOrDefault(name, usual);
        if (!given.equals(usual) && !given.equals(other)) {
            throw new IllegalArgumentException(name + " must be " + usual + " or " + other + ", not " + given + ".");
        }
        return given.equals(other);
    }
}
