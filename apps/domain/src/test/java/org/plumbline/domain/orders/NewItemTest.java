package org.plumbline.domain.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.plumbline.domain.Refused;

class NewItemTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.00",
        "3.1, 3.10",
        "0.0049, 0.00",
        "0.005, 0.01",
        "99999.995, 100000.00",
        "1e5, 100000.00",
        "1e-500000000, 0.00",
        "1e-1000000000, 0.00",
        "0e-1000000000, 0.00",
        "0e1000000000, 0.00"
    })
    void priceIsRoundedToCents(BigDecimal price, BigDecimal cents) {
        assertEquals(cents, new NewItem("Gift", 1, price).validated().price());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.01", "100000.01", "-1e-1000000000", "1e1000000000"})
    void priceIsInItsRange(BigDecimal price) {
        assertThrows(Refused.class, () -> new NewItem("Gift", 1, price).validated());
    }

    @Test
    void priceIsThere() {
        assertThrows(Refused.class, () -> new NewItem("Gift", 1, null).validated());
    }
}
