/**
 * Made-up directories as LDIF, from templates.
 *
 * <p>Public face: {@link TemplateReader}.
 */
@NullMarked
package org.nyala.loadtest.generate;

import org.jspecify.annotations.NullMarked;
