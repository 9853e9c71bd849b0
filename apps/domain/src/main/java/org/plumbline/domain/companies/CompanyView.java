package org.plumbline.domain.companies;

/** A company as it stands on the wire. */
public record CompanyView(int id, String name) {}
