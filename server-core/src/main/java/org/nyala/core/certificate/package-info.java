/**
 * The making of certificates, for a first try and for servers that trust one another.
 *
 * <p>Public face: {@link CertificateMaker}.
 */
@NullMarked
package org.nyala.core.certificate;

import org.jspecify.annotations.NullMarked;
