package org.plumbline.domain;

import java.util.List;

/** A fruit as it stands on the wire; the order of the components is the order of the keys. */
public record FruitView(long id, String name, String description, List<PriceView> prices) {}
