package org.plumbline.domain.orders;

import org.plumbline.domain.Numbers;

/** The body of {@code PUT /orders/{orderId}}: another payment card. */
public record CardChange(Long cardId) {

    /** Itself, or {@link org.plumbline.domain.Refused} with the 400 of the contract. */
    public CardChange validated() {
        Numbers.require("cardId", cardId, Long.MAX_VALUE);
        return this;
    }
}
