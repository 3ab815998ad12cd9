/**
 * The table of attributes: the source of the values of each, and its permitted uses.
 *
 * <p>Public face: {@link AttributeProviders}.
 */
@NullMarked
package org.nyala.core.provider;

import org.jspecify.annotations.NullMarked;
