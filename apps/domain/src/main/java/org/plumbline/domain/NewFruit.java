package org.plumbline.domain;

/** The body of {@code POST /fruits}; either part may be null, as sent. */
public record NewFruit(String name, String description) {

    /** Itself, or {@link Refused} with the 400 of the contract. */
    public NewFruit validated() {
        Texts.requireName(name);
        Texts.requireFitting("description", description);
        return this;
    }
}
