package org.plumbline.app.plumbing;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** All paths begin at the root. */
@ApplicationPath("/")
public class Paths extends Application {}
