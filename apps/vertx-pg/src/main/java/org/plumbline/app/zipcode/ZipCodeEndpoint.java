package org.plumbline.app.zipcode;

import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import org.plumbline.domain.vertx.web.Bodies;
import org.plumbline.domain.zipcode.ZipCodeView;

/** Routes of the workload zipcode. */
public final class ZipCodeEndpoint {
    private final ZipCodeService codes;

    public ZipCodeEndpoint(ZipCodeService codes) {
        this.codes = codes;
    }

    public void mount(Router router) {
        // Routes are tried in this order.
        router.get("/zipcode/by_city").handler(context -> Bodies.answer(context, 200, codes.ofCity(city(context))));
        router.get("/zipcode/:zip")
                .handler(context -> Bodies.answer(context, 200, codes.withKey(context.pathParam("zip"))));
        router.post("/zipcode")
                .handler(Bodies.reader())
                .handler(context -> Bodies.answer(
                        context,
                        200,
                        codes.add(Bodies.read(context, ZipCodeView.class).validated())));
    }

    private static String city(RoutingContext context) {
        return ZipCodeView.requireCity(context.request().getParam("city"));
    }
}
