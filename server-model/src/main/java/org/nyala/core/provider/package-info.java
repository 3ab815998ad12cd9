/**
 * The table of attributes: where the values of each come from, and what clients may do with it.
 *
 * <p>Public face: {@link AttributeProviders}.
 */
@NullMarked
package org.nyala.core.provider;

import org.jspecify.annotations.NullMarked;
