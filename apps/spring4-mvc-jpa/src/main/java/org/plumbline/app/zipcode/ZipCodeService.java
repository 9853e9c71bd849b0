package org.plumbline.app.zipcode;

import java.util.List;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.jpa.ZipCode;
import org.plumbline.domain.zipcode.ZipCodeView;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One transaction an operation; by templates, since what add() catches comes out of its commit. */
@Service
public class ZipCodeService {
    private final ZipCodeRepository codes;
    private final TransactionTemplate reading;
    private final TransactionTemplate writing;

    ZipCodeService(ZipCodeRepository codes, PlatformTransactionManager transactions) {
        this.codes = codes;
        reading = new TransactionTemplate(transactions);
        reading.setReadOnly(true);
        writing = new TransactionTemplate(transactions);
    }

    public ZipCodeView byKey(String zip) {
        return reading.execute(status -> codes.byKey(zip)
                .orElseThrow(() -> new Refused(Problem.noSuchZipCode(zip)))
                .view());
    }

    public List<ZipCodeView> byCity(String city) {
        return reading.execute(
                status -> codes.byCity(city).stream().map(ZipCode::view).toList());
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public ZipCodeView add(ZipCodeView code) {
        try {
            return writing.execute(status -> codes.byKey(code.zip())
                    .orElseGet(() -> codes.insert(new ZipCode(code)))
                    .view());
        } catch (DataIntegrityViolationException exists) {
            return byKey(code.zip());
        }
    }
}
