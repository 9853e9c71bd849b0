package org.plumbline.app.plumbing;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.jackson.ObjectMapperCustomizer;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Singleton;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.PriceView;
import org.plumbline.domain.Problem;
import org.plumbline.domain.StoreView;
import org.plumbline.domain.orders.CardChange;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.OrderView;
import org.plumbline.domain.orders.Sources;
import org.plumbline.domain.zipcode.ZipCodeView;

/**
 * Contract: a body that is not JSON is refused; Jackson 2 overlooks what follows the object unless told, Jackson 3 doesn't.
 *
 * <p>A native image keeps for reflection what is named here: Jackson reads and writes these, and Quarkus looks for them in
 * indexed jars alone, which the domain, free of any framework, is not.
 */
@RegisterForReflection(
        targets = {
            FruitView.class,
            PriceView.class,
            StoreView.class,
            NewFruit.class,
            Problem.class,
            ZipCodeView.class,
            NewOrder.class,
            NewOrder.Line.class,
            NewItem.class,
            CardChange.class,
            OrderView.class,
            ItemView.class,
            Sources.Customer.class,
            Sources.Card.class,
            Sources.Address.class,
            Sources.Product.class,
            Sources.Stock.class,
            Sources.Discount.class
        })
@Singleton
public class Json implements ObjectMapperCustomizer {
    @Override
    public void customize(ObjectMapper mapper) {
        mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    }
}
