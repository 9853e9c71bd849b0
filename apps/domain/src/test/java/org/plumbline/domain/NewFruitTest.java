package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class NewFruitTest {
    /** One character that takes two chars. */
    private static final String GRAPES = "\uD83C\uDF47";

    @Test
    void limitCountsCharactersAsTheDatabaseDoes() {
        NewFruit longest = new NewFruit(GRAPES.repeat(255), null);
        assertSame(longest, longest.validated());
        assertRefused("The name must have at most 255 characters.", new NewFruit(GRAPES.repeat(256), null));
    }

    @Test
    void nameMustSaySomething() {
        assertRefused("The name must not be blank.", new NewFruit(null, "Nameless"));
        assertRefused("The name must not be blank.", new NewFruit(" \t", null));
    }

    @Test
    void descriptionFitsItsColumn() {
        assertRefused("The description must have at most 255 characters.", new NewFruit("Sloe", "x".repeat(256)));
    }

    private static void assertRefused(String detail, NewFruit fruit) {
        Problem problem = assertThrows(Refused.class, fruit::validated).problem();
        assertEquals(new Problem(400, "Bad Request", detail), problem);
    }
}
