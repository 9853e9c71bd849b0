package org.plumbline.domain.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OrderChoicesTest {

    @Test
    void nothingIsTheContract() {
        assertEquals(new OrderChoices(false, false), OrderChoices.from(Map.of()));
        assertEquals(new OrderChoices(false, false), OrderChoices.from(Map.of("SESSIONS", "one", "REMOVE", "query")));
    }

    @Test
    void eachIsChosenByItself() {
        assertEquals(new OrderChoices(true, false), OrderChoices.from(Map.of("SESSIONS", "several")));
        assertEquals(new OrderChoices(false, true), OrderChoices.from(Map.of("REMOVE", "entity")));
    }

    @Test
    void anotherWordIsRefused() {
        assertEquals(
                "SESSIONS must be one or several, not many.",
                assertThrows(IllegalArgumentException.class, () -> OrderChoices.from(Map.of("SESSIONS", "many")))
                        .getMessage());
    }
}
