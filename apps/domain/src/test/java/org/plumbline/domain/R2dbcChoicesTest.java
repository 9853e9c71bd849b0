package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.plumbline.domain.R2dbcChoices.Api;

class R2dbcChoicesTest {

    @Test
    void withoutAWordTheyAreTheContracts() {
        assertEquals(new R2dbcChoices(false, true, true, Api.AUTO, false), R2dbcChoices.from(Map.of()));
    }

    @Test
    void eachIsReadAndSaidAgain() {
        R2dbcChoices choices = R2dbcChoices.from(
                Map.of("R2DBC_LOOPS", "own", "POOL_WARM_UP", "off", "POOL_INITIAL", "half", "R2DBC_API", "connection"));
        assertEquals(new R2dbcChoices(true, false, false, Api.CONNECTION, false), choices);
        assertEquals(
                Map.of(
                        "profile", "parity",
                        "r2dbc_loops", "own",
                        "pool_warm_up", "off",
                        "pool_initial", "half",
                        "r2dbc_api", "connection"),
                said(choices));
    }

    @Test
    void tunedHasLoopsOfItsOwn() {
        assertEquals("tuned", said(R2dbcChoices.from(Map.of("PROFILE", "tuned", "R2DBC_LOOPS", "own"))).get("profile"));
        assertEquals(
                "tuned with the loops of the driver or the pool of a starter",
                said(R2dbcChoices.from(Map.of("PROFILE", "tuned"))).get("profile"));
    }

    @Test
    void defaultsHasTheStartersPoolWhateverWasAsked() {
        R2dbcChoices asked = R2dbcChoices.from(Map.of("PROFILE", "defaults"));
        assertEquals("parity", said(asked).get("profile"));
        assertEquals("defaults", asked.in(bare(), true).settings().get("profile"));
        R2dbcChoices tuned = R2dbcChoices.from(Map.of("PROFILE", "tuned", "R2DBC_LOOPS", "own"));
        assertEquals(
                "tuned with the loops of the driver or the pool of a starter",
                tuned.in(bare(), true).settings().get("profile"));
    }

    private static Map<String, String> said(R2dbcChoices choices) {
        return choices.in(bare(), false).settings();
    }

    private static Environment bare() {
        return Environment.withoutDatabase(
                new Environment.Component("java", "25"),
                Environment.ServingThread.current(),
                Settings.withoutDatabase(Map.of()));
    }

    @Test
    void halfOfOneIsOne() {
        R2dbcChoices half = R2dbcChoices.from(Map.of("POOL_INITIAL", "half"));
        assertEquals(10, half.initial(20));
        assertEquals(1, half.initial(1));
        assertEquals(20, R2dbcChoices.from(Map.of()).initial(20));
    }

    @Test
    void anotherWordIsRefused() {
        assertEquals(
                "R2DBC_API must be one of auto, client, connection, not jdbc.",
                assertThrows(IllegalArgumentException.class, () -> R2dbcChoices.from(Map.of("R2DBC_API", "jdbc")))
                        .getMessage());
    }
}
