/**
 * JSON, tables and charts; knows nothing of LDAP.
 *
 * <p>Public face: {@link Json} and {@link HtmlPage}.
 */
@NullMarked
package org.nyala.loadtest.format;

import org.jspecify.annotations.NullMarked;
