package org.plumbline.app.companies;

import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.vertx.web.Bodies;

/** Routes of the workload companies. */
public final class CompanyEndpoint {
    private static final int MAX_LIMIT = 1000;

    private final CompanyService companies;

    public CompanyEndpoint(CompanyService companies) {
        this.companies = companies;
    }

    public void mount(Router router) {
        router.get("/companies").handler(context -> Bodies.send(context, 200, companies.first(limit(context))));
        router.get("/companies/:id").handler(context -> Bodies.send(context, 200, companies.withId(id(context))));
        router.get("/benchmark").handler(this::batch);
    }

    private void batch(RoutingContext context) {
        Batch batch = Batch.of(
                context.request().getParam("query"), context.request().getParam("count"));
        context.response()
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .end(companies.batch(batch).toJson());
    }

    private static int limit(RoutingContext context) {
        return Numbers.require("limit", context.request().getParam("limit"), MAX_LIMIT);
    }

    private static int id(RoutingContext context) {
        String text = context.pathParam("id");
        return Numbers.intId(text, Problem.noSuchCompany(text));
    }
}
