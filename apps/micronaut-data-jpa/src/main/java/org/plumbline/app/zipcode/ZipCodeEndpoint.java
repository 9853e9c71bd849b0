package org.plumbline.app.zipcode;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import org.plumbline.app.plumbing.Workers;
import org.plumbline.domain.zipcode.ZipCodeView;

/** The workload zipcode. */
@Controller("/zipcode")
@ExecuteOn(Workers.NAME)
public class ZipCodeEndpoint {
    private final ZipCodeService service;

    ZipCodeEndpoint(ZipCodeService service) {
        this.service = service;
    }

    @Get("/{zip}")
    public ZipCodeView byKey(String zip) {
        return service.byKey(zip);
    }

    @Get("/by_city")
    public List<ZipCodeView> byCity(@Nullable @QueryValue String city) {
        return service.byCity(ZipCodeView.requireCity(city));
    }

    @Post
    public ZipCodeView add(@Body ZipCodeView code) {
        return service.add(code.validated());
    }
}
