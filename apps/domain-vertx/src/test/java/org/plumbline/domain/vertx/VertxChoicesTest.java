package org.plumbline.domain.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;

class VertxChoicesTest {

    @Test
    void whatNoFileSaysIsVertxOwnChoice() {
        assertEquals(new VertxChoices(false, 0, false, 1, true), VertxChoices.from(Map.of()));
        assertEquals(new VertxChoices(false, 0, false, 0, false), VertxChoices.from(Map.of("PROFILE", "defaults")));
    }

    @Test
    void theTunedFileGoesOnFromTheOther() {
        assertEquals(new VertxChoices(true, 1, true, 1, true), VertxChoices.from(Map.of("PROFILE", "tuned")));
    }

    @Test
    void anotherProfileIsRefused() {
        assertEquals(
                "PROFILE must be defaults, parity or tuned, not fast.",
                assertThrows(IllegalArgumentException.class, () -> VertxChoices.from(Map.of("PROFILE", "fast")))
                        .getMessage());
    }
}
