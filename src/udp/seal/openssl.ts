// Tested by test/udp/seal/gcm.test.ts

/** Values of include/openssl/evp.h. */
export const Evp = { getTag: 0x10, setTag: 0x11 } as const;

/** An address. It stays a number: of an object or a bigint koffi takes 15 to 40 ns more. */
type Pointer = number;

/**
 * Functions of the OpenSSL that Node.js carries, see EVP_EncryptInit(3). Most return 1 where they succeed. A text to nowhere is data that is only
 * authenticated.
 */
export interface OpenSsl {
  /** `NULL` where there is no memory. */
  EVP_CIPHER_CTX_new(): Pointer;
  EVP_CIPHER_CTX_free(context: Pointer): void;
  EVP_aes_128_gcm(): Pointer;
  EVP_CIPHER_CTX_ctrl(context: Pointer, command: number, value: number, bytes: Pointer): number;
  EVP_CipherFinal_ex(context: Pointer, out: Pointer, length: Pointer): number;
  /** `init(context, cipher, engine, key, nonce, isSealing)`. */
  EVP_CipherInit_ex(...args: [Pointer, Pointer, Pointer, Pointer, Pointer, number]): number;
  /** `update(context, out, length, text, bytes)`. */
  EVP_CipherUpdate(...args: [Pointer, Pointer, Pointer, Pointer, number]): number;
  /** Where the bytes begin. The caller keeps them alive, and they do not move. */
  addressOf(bytes: ArrayBufferView): Pointer;
}

export const NULL: Pointer = 0;

const CALLS = {
  EVP_CIPHER_CTX_new: 'uintptr_t EVP_CIPHER_CTX_new()',
  EVP_CIPHER_CTX_free: 'void EVP_CIPHER_CTX_free(uintptr_t)',
  EVP_aes_128_gcm: 'uintptr_t EVP_aes_128_gcm()',
  EVP_CIPHER_CTX_ctrl: 'int EVP_CIPHER_CTX_ctrl(uintptr_t, int, int, uintptr_t)',
  EVP_CipherFinal_ex: 'int EVP_CipherFinal_ex(uintptr_t, uintptr_t, uintptr_t)',
  EVP_CipherInit_ex: 'int EVP_CipherInit_ex(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)',
  EVP_CipherUpdate: 'int EVP_CipherUpdate(uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)',
} as const;

/** OpenSSL without node:crypto around it; throws where koffi or one of the functions is missing. */
export async function loadOpenSsl(): Promise<OpenSsl> {
  const { load, address } = await import('koffi');
  const library = load(null);
  const calls = Object.entries(CALLS).map(([name, form]) => [name, library.func(form)]);
  // Systems give programs addresses below 2^53: a number holds them.
  const addressOf = (bytes: ArrayBufferView) => Number(address(bytes));
  return { ...Object.fromEntries(calls), addressOf } as OpenSsl;
}
