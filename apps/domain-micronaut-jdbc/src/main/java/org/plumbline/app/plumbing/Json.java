package org.plumbline.app.plumbing;

import io.micronaut.serde.annotation.SerdeImport;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.PriceView;
import org.plumbline.domain.StoreView;
import org.plumbline.domain.zipcode.ZipCodeView;

/** What goes over the wire: Micronaut makes the readers and writers of these when it is compiled, without reflection. */
@SerdeImport(FruitView.class)
@SerdeImport(PriceView.class)
@SerdeImport(StoreView.class)
@SerdeImport(NewFruit.class)
@SerdeImport(ZipCodeView.class)
final class Json {
    private Json() {}
}
