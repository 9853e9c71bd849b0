package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FruitSqlTest {

    @Test
    void nothingIsTheContract() {
        assertEquals(FruitSql.BATCH, FruitSql.from(Map.of()));
        assertEquals("batch", FruitSql.from(Map.of("SQL", "batch")).word());
        assertEquals("join", FruitSql.from(Map.of("SQL", "join")).word());
    }

    @Test
    void anotherWordIsRefused() {
        assertEquals(
                "SQL must be batch or join, not union.",
                assertThrows(IllegalArgumentException.class, () -> FruitSql.from(Map.of("SQL", "union")))
                        .getMessage());
    }
}
