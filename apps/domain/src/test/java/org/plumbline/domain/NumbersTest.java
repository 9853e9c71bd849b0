package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {
    private static final int GREATEST = 2147483647;

    @Test
    void idIsANumber() {
        assertEquals(GREATEST, Numbers.intId("2147483647", Problem.noSuchCompany("2147483647")));
        assertEquals(9999999999L, Numbers.id("9999999999", Problem.noSuchOrder("9999999999")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "9999999999", "9999999999999999999", "-1", "abc", ""})
    void whatIsNoIntNamesNothing(String text) {
        Problem unknown = Problem.noSuchCompany(text);
        Refused refused = assertThrows(Refused.class, () -> Numbers.intId(text, unknown));
        assertEquals(unknown, refused.problem());
    }
}
