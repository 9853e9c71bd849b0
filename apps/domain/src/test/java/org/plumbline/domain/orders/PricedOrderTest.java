package org.plumbline.domain.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

class PricedOrderTest {
    private static final NewOrder ORDER =
            new NewOrder(17L, 4L, 9L, List.of(new NewOrder.Line(12L, 3), new NewOrder.Line(7L, 1)));

    private static Sources sources(int available) {
        return new Sources(
                new Sources.Customer(17, "Customer 17"),
                new Sources.Card(4, "Visa", "0004"),
                new Sources.Address(9, "9 Elm Street", "York", "United Kingdom"),
                List.of(
                        new Sources.Product(12, "Product 12", new BigDecimal("5.44")),
                        new Sources.Product(7, "Product 7", new BigDecimal("3.5"))),
                List.of(new Sources.Stock(12, available), new Sources.Stock(7, 1)),
                new Sources.Discount(17, 15));
    }

    @Test
    void linesAreRoundedOneByOneAndItemsComeById() {
        PricedOrder priced = PricedOrder.of(ORDER, sources(3));
        // 16.32 * 0.85 = 13.872 and 3.50 * 0.85 = 2.975, half up.
        assertEquals(new BigDecimal("16.85"), priced.total());
        assertEquals(
                List.of(
                        new ItemView(7, "Product 7", 1, new BigDecimal("3.50")),
                        new ItemView(12, "Product 12", 3, new BigDecimal("5.44"))),
                priced.items());
        assertEquals("9 Elm Street, York, United Kingdom", priced.shipTo());
    }

    @Test
    void tooLittleInStockIsAConflict() {
        Refused refused = assertThrows(Refused.class, () -> PricedOrder.of(ORDER, sources(2)));
        assertEquals(Problem.conflict("Only 2 of product 12 are in stock."), refused.problem());
    }

    @Test
    void anOrderOfNothingOrOfOneThingTwiceIsRefused() {
        assertRefused("An order must have from 1 to 100 items.", new NewOrder(1L, 1L, 1L, List.of()));
        assertRefused("The cardId must be a whole number from 1 to 9223372036854775807.", new NewOrder(1L, 0L, 1L, null));
        NewOrder.Line line = new NewOrder.Line(5L, 1);
        assertRefused("Product 5 is named twice.", new NewOrder(1L, 1L, 1L, List.of(line, line)));
    }

    private static void assertRefused(String detail, NewOrder order) {
        assertEquals(
                Problem.badRequest(detail),
                assertThrows(Refused.class, order::validated).problem());
    }
}
