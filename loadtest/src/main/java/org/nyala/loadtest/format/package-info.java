/**
 * Tables, charts and numbers of JSON; knows nothing of LDAP.
 *
 * <p>Public face: {@link HtmlPage}, {@link ReportTable} and {@link JsonNumber}.
 *
 * <p>Imports nothing of Nyala.
 */
@NullMarked
package org.nyala.loadtest.format;

import org.jspecify.annotations.NullMarked;
