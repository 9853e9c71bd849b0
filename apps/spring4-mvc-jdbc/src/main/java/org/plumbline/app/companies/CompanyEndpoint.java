package org.plumbline.app.companies;

import java.util.List;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The workload companies. */
@RestController
public class CompanyEndpoint {
    private static final int MAX_LIMIT = 1000;

    private final CompanyService service;

    CompanyEndpoint(CompanyService service) {
        this.service = service;
    }

    @GetMapping("/companies")
    public List<CompanyView> first(@RequestParam(required = false) String limit) {
        return service.first(Numbers.require("limit", limit, MAX_LIMIT));
    }

    @GetMapping("/companies/{id}")
    public CompanyView byId(@PathVariable String id) {
        return service.byId(Numbers.intId(id, Problem.noSuchCompany(id)));
    }

    @GetMapping(path = "/benchmark", produces = MediaType.APPLICATION_JSON_VALUE)
    public String batch(
            @RequestParam(required = false) String query, @RequestParam(required = false) String count) {
        return service.batch(Batch.of(query, count)).toJson();
    }
}
